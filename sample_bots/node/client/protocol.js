// The protocol, loaded from the .proto files when the program starts: no generated code, nothing copied.

import { loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

export const ARENA_PROTO = 'roost/v1/arena.proto';

// Field names become camelCase (`resume_token` is `resumeToken`). An enumeration is the name of its value. What a
// message leaves out gets its default, so that no list is ever missing; an absent sub-message is null.
const LOADING = { enums: String, defaults: true };

/** The class of clients for `roost.v1.Arena`. `folder` is where `roost/v1/` is. */
export function loadArenaClient(folder) {
  const definition = loadSync(ARENA_PROTO, { ...LOADING, includeDirs: [folder] });
  return loadPackageDefinition(definition).roost.v1.Arena;
}

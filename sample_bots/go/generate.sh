#!/bin/sh
# Generates roostv1/ from the .proto files. It needs protoc, protoc-gen-go and protoc-gen-go-grpc.
#
#   ./generate.sh [DIR]     DIR contains roost/v1/*.proto; by default proto/ of this repository
set -eu
cd "$(dirname "$0")"
contract=${1:-../../proto}
# The files do not say to which Go package they belong, so every one of them needs an option.
options=module=roostbot
for file in $(cd "$contract" && ls roost/v1/*.proto); do
  options="$options,M$file=roostbot/roostv1"
done
protoc -I "$contract" --go_out=. --go_opt="$options" --go-grpc_out=. --go-grpc_opt="$options" "$contract"/roost/v1/*.proto

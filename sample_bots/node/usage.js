// A mistake in the arguments. The message is one line that says what is allowed.

export class UsageError extends Error {}

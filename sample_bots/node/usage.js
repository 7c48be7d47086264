// A mistake of whoever started the program. Its message is one line that says what would be right.

export class UsageError extends Error {}

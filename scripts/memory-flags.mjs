/**
 * What the server is started with, so that its young garbage stays small: left to itself V8 lets that grow to 64 MiB. What can
 * be told to a running process is in server/src/platform/memory.ts.
 */
export const memoryFlags = ['--max-semi-space-size=16'];

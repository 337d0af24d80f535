/**
 * V8 flags of the server. They limit the young generation, which V8 otherwise lets grow to 64 MiB. Limits that can be set
 * in a running process are in server/src/platform/memory.ts.
 */
export const memoryFlags = ['--max-semi-space-size=16'];

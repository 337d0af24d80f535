/**
 * What the server is started with, so that its garbage stays small: left to itself V8 lets a young generation grow to 64 MiB
 * and an old one to several times what lives in it, which is most of what a busy server would take. Costs about a tenth
 * of the processor where nearly all work is allocation, nothing that can be seen elsewhere.
 */
export const memoryFlags = ['--max-semi-space-size=16', '--heap-growing-percent=60'];

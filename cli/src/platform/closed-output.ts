// Closed output: the reader has closed the pipe, as in `recordproof … | head`. That is not a failure, unlike EPIPE of a
// connection; both have the same code and syscall, so the error of the output stream itself is recognized.

const closings = new WeakSet<Error>();

/** Ignores EPIPE of the standard streams; other errors of them are thrown. */
export function watchOutputs(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      closings.add(error);
    });
  }
}

export const isClosedOutput = (thrown: unknown): boolean => thrown instanceof Error && closings.has(thrown);

// The process entry point: runs the command line; the exit code is the verdict, even if the output is not read to its
// end.
import { main } from './cli.ts';
import { exitCodes } from './shell/exit-codes.ts';

// The initial exit code, so that an unexpected end never means VALID.
process.exitCode = exitCodes.ERROR;

let isLost = false;
process.stdout.on('error', (problem: NodeJS.ErrnoException) => {
  // The reader has closed the pipe, as in `recordproof-verify … | head`.
  if (problem.code === 'EPIPE' || isLost) return;
  isLost = true;
  process.exitCode = exitCodes.ERROR;
  process.stderr.write('The output could not be written to its end.\n');
});
process.stderr.on('error', () => {});

// Without a top-level await, because a single executable starts from CommonJS.
main(process.argv.slice(2), process).then(code => {
  if (!isLost) process.exitCode = code;
});

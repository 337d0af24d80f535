// The process: hands the command line over; the exit code is the verdict, also when nobody reads the report to its end.
import { main } from './cli.ts';
import { exitCodes } from './shell/exit-codes.ts';

// Should it ever end without a verdict, then not with the code that means VALID.
process.exitCode = exitCodes.ERROR;

let isLost = false;
process.stdout.on('error', (problem: NodeJS.ErrnoException) => {
  // The reader has seen enough, as in `recordproof-verify … | head`.
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

// The process: runs the command line, and ignores a closed output pipe.
import { reportUncaught, runCommandLine } from './run.ts';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has closed the pipe, as in `recordproof … | head`.
    if (error.code !== 'EPIPE') throw error;
  });
}

const argv = process.argv.slice(2);

process.on('uncaughtException', error => {
  reportUncaught(error, argv);
  process.exit();
});

await runCommandLine(argv);

// The process: hands the command line over, and settles what happens when nobody reads the output any more.
import { reportUncaught, runCommandLine } from './run.ts';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has seen enough, as in `recordproof … | head`.
    if (error.code !== 'EPIPE') throw error;
  });
}

const argv = process.argv.slice(2);

process.on('uncaughtException', error => {
  reportUncaught(error, argv);
  process.exit();
});

await runCommandLine(argv);

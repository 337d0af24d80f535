// The process: runs the command line, and ignores a closed output pipe.
import { watchOutputs } from './platform/interrupts.ts';
import { reportUncaught, runCommandLine } from './run.ts';

watchOutputs();

const argv = process.argv.slice(2);

process.on('uncaughtException', error => {
  reportUncaught(error, argv);
  process.exit();
});

await runCommandLine(argv);

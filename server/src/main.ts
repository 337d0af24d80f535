// The server from its sources, as `npm run dev` starts it: runs the command and ends with its exit code.
import { run } from './commands/run.ts';

process.exitCode = await run(process.argv.slice(2));

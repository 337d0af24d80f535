// The process: hands the command line over; the exit code is the verdict, also when nobody reads the report to its end.
import { main } from './cli.ts';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (problem: NodeJS.ErrnoException) => {
    if (problem.code !== 'EPIPE') throw problem;
  });
}

// Without a top-level await, because a single executable starts from CommonJS.
main(process.argv.slice(2), process).then(code => {
  process.exitCode = code;
});

// The process: picks the command, runs it, and turns every failure into one sentence and an exit code.
import module from 'node:module';

module.enableCompileCache();

const { run } = await import('./commands/run.ts');
process.exitCode = await run(process.argv.slice(2));

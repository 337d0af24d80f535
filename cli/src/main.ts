// The process: keeps compiled code between runs, in a folder of the user's own, then hands over the command line.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from './folders.ts';

// oclif would look for TypeScript loaders and print its own warnings in any other mode.
process.env.NODE_ENV ??= 'production';
enableCompileCache(process.env.NODE_COMPILE_CACHE ?? join(cacheFolder(), 'compiled'));
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever read our output has seen enough, as in `recordproof … | head`.
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

const { runCommandLine } = await import('./run.ts');
await runCommandLine(process.argv.slice(2));

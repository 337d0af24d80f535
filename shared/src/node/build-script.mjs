// Makes one script for browsers out of a client's sources, in memory. Who bundles a program puts the result in place of
// the call (scripts/built-scripts.mjs): where the program runs then, there is neither esbuild nor a source.
import { fileURLToPath } from 'node:url';

/** All that a bundler has to know to do the same. */
export const scriptOptions = {
  bundle: true,
  minify: true,
  format: 'iife',
  platform: 'browser',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  write: false,
};

/** Written as `buildScript(new URL('…', import.meta.url))`, by which bundlers find it. */
export async function buildScript(entry) {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({ ...scriptOptions, entryPoints: [fileURLToPath(entry)] });
  return outputFiles[0].text;
}

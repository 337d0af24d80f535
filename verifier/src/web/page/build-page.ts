// Makes the page's script, worker and style from the sources, in memory. A packaged program brings the result along
// instead of this file.
import { fileURLToPath } from 'node:url';
import { styles } from './styles.ts';

export type PageSources = { script: string; worker: string; styles: string };

export async function buildPage(): Promise<PageSources> {
  const { build } = await import('esbuild');
  const bundle = async (name: string): Promise<string> => {
    const entry = fileURLToPath(new URL(`../client/${name}`, import.meta.url));
    const { outputFiles } = await build({
      entryPoints: [entry],
      bundle: true,
      minify: true,
      format: 'iife',
      platform: 'browser',
      target: 'es2022',
      charset: 'utf8',
      legalComments: 'none',
      write: false,
    });
    return outputFiles[0]?.text ?? '';
  };
  const [script, worker] = await Promise.all([bundle('main.ts'), bundle('worker.ts')]);
  return { script, worker, styles };
}

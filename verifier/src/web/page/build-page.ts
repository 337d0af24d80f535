// The page's script, worker and style.
import { buildScript } from '@recordproof/shared/node/build-script.mjs';
import { styles } from './styles.ts';

export type PageSources = { script: string; worker: string; styles: string };

/** Without the spaces that only people need: the page may have 110 KB in all. */
const shorten = (css: string): string => css.replaceAll(/\s*([{};,])\s*/g, '$1').replaceAll(': ', ':');

export async function buildPage(): Promise<PageSources> {
  const [script, worker] = await Promise.all([
    buildScript(new URL('../client/main.ts', import.meta.url)),
    buildScript(new URL('../client/worker.ts', import.meta.url)),
  ]);
  return { script, worker, styles: shorten(styles) };
}

// Builder of the page's script, worker and style.
import { buildScript } from '@recordproof/shared/node/build-script.mjs';
import { styles } from './styles.ts';

export type PageSources = { script: string; worker: string; styles: string };

/** Minifies the CSS: the page is limited to 110 KB. */
const shorten = (css: string): string => css.replaceAll(/\s*([{};,])\s*/g, '$1').replaceAll(': ', ':');

export async function buildPage(): Promise<PageSources> {
  const [script, worker] = await Promise.all([
    buildScript(new URL('../client/main.ts', import.meta.url)),
    buildScript(new URL('../client/worker.ts', import.meta.url)),
  ]);
  return { script, worker, styles: shorten(styles) };
}

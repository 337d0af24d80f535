// Module hooks that resolve `electron` to the stand-in.
import { registerHooks } from 'node:module';

const standIn = new URL('./stand-in.ts', import.meta.url).href;

registerHooks({
  resolve: (name, context, next) => (name === 'electron' ? { url: standIn, shortCircuit: true } : next(name, context)),
});

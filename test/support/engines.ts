// Database engines of the project that runs this file: one for feature tests, which have a project per engine, both for
// all other tests.
import type { Engine } from '@recordproof/server/platform/db/open-db.ts';

export const engineVariable = 'TEST_ENGINE';

const isEngine = (name: string | undefined): name is Engine => name === 'sqlite' || name === 'postgres';

function enginesOfProject(): readonly [Engine, ...Engine[]] {
  const named = process.env[engineVariable];
  return isEngine(named) ? [named] : ['sqlite', 'postgres'];
}

export const engines = enginesOfProject();

export const secretsVariable = 'TEST_WATCHES_SECRETS';

/** Whether the output of this project's servers is searched for secrets when they end. */
export const watchesSecrets = process.env[secretsVariable] === 'yes';

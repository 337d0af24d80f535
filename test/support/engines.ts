// On which databases the project that runs this file asks its questions: one of them for feature tests, which have a
// project for each, both for everything else.
import type { Engine } from '@recordproof/server/platform/db/open-db.ts';

export const engineVariable = 'TEST_ENGINE';

const isEngine = (name: string | undefined): name is Engine => name === 'sqlite' || name === 'postgres';

function enginesOfProject(): readonly [Engine, ...Engine[]] {
  const named = process.env[engineVariable];
  return isEngine(named) ? [named] : ['sqlite', 'postgres'];
}

export const engines = enginesOfProject();

export const secretsVariable = 'TEST_WATCHES_SECRETS';

/** Whether what servers of this project write is looked through for secrets when they end. */
export const watchesSecrets = process.env[secretsVariable] === 'yes';

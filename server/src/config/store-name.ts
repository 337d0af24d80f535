// Name of the object store for messages.
import type { Config } from './config.ts';

export const nameStore = ({ objects }: Pick<Config, 'objects'>): string =>
  objects.kind === 'disk'
    ? `the folder ${objects.folder}`
    : `the bucket "${objects.bucket}" at ${objects.endpoints.join(', ')}`;

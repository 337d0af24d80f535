import type { Download, Upload } from '../../../bridge/bridge.ts';

const isRunning = ({ state }: Upload | Download): boolean => state.kind === 'running' || state.kind === 'waiting';

export const countRunning = (uploads: readonly Upload[], downloads: readonly Download[]): number =>
  uploads.filter(isRunning).length + downloads.filter(isRunning).length;

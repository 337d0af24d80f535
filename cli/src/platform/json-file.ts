// Strict reading of this program's JSON files. Errors name the file and never repeat its content.
import { Fixable } from './fixable.ts';

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function parseJsonFile(path: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Fixable('config', `${path} is not valid JSON`, {
      try: 'repair it in an editor, or delete it to start over',
    });
  }
  if (isRecord(value)) return value;
  throw new Fixable('config', `${path} must hold one JSON object`, { try: 'delete it to start over' });
}

// Filters of a search, as the address holds them.
import { proofStatuses } from '@recordproof/shared/api/files.ts';
import { z } from 'zod';

export const fileTypes = ['image', 'application/pdf', 'text', 'audio', 'video'] as const;
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

const filters = z.object({
  type: z.enum(fileTypes).optional().catch(undefined),
  proof: z.enum(proofStatuses).optional().catch(undefined),
  shared: z.enum(['true', 'false']).optional().catch(undefined),
  from: day.optional().catch(undefined),
  to: day.optional().catch(undefined),
  /** In MiB. */
  min: z.enum(['1', '10', '100']).optional().catch(undefined),
});
export type Filters = z.infer<typeof filters>;
export type FilterName = keyof Filters;

export const filterNames = Object.keys(filters.shape) as readonly FilterName[];

/** Invalid values of the address are left out. */
export const readFilters = (query: URLSearchParams): Filters => filters.parse(Object.fromEntries(query));

export const hasFilters = (filters: Filters): boolean => filterNames.some(name => filters[name] !== undefined);

const MiB = 1024 * 1024;

/** The start of a day by this device's clock. */
const startOf = (text: string): Date => new Date(`${text}T00:00:00`);

function endOf(text: string): Date {
  const end = startOf(text);
  end.setDate(end.getDate() + 1);
  return new Date(end.getTime() - 1);
}

/** For the search of the server. */
export const toQuery = ({ type, proof, shared, from, to, min }: Filters) => ({
  ...(type && { type }),
  ...(proof && { proofStatus: proof }),
  ...(shared && { shared: shared === 'true' }),
  ...(from && { startTime: startOf(from).toISOString() }),
  ...(to && { endTime: endOf(to).toISOString() }),
  ...(min && { minSize: Number(min) * MiB }),
});

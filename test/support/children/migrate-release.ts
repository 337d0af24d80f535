// Applies all migrations of the server, and stops inside the transaction behind the conversion of a step: it is killed there.
import { migrations } from '@recordproof/server/compose/features.ts';
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import { childInput, tell } from '../child.ts';
import { openPlace, type Place } from '../place.ts';

const { place, stopAt } = childInput<{ readonly place: Place; readonly stopAt: string }>();
const database = await openPlace(place);
const steps = migrations.map(step =>
  step.name !== stopAt
    ? step
    : {
        ...step,
        convert: async (...input: Parameters<NonNullable<typeof step.convert>>) => {
          await step.convert?.(...input);
          tell('converted');
          await new Promise(resolve => setTimeout(resolve, 2 ** 31 - 1)); // a promise alone does not keep a process
        },
      },
);
await migrate(database.db, place.kind, steps, Date.now());

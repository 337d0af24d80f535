// Writes pairs of rows continuously, one transaction each, and reports each committed pair; dies between the halves of
// pair number `dieInPair`.
import { childInput, dieHere, tell } from '../child.ts';
import { openTestDatabase, type TestDatabaseAddress } from '../database-address.ts';
import { noteEffect } from '../effects.ts';

const { address, dieInPair } = childInput<{ address: TestDatabaseAddress; dieInPair: number }>();
const { db } = await openTestDatabase(address);
for (let pair = 0; ; pair++) {
  await db.transaction().execute(async tx => {
    await noteEffect(tx, 'first half', pair);
    if (pair === dieInPair) dieHere();
    await noteEffect(tx, 'second half', pair);
  });
  tell(pair);
}

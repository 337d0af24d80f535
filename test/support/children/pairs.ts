// Writes pairs of rows for ever, one transaction each, and says which pair is committed; dies between the halves of
// pair number `dieInPair`.
import { childInput, dieHere, tell } from '../child.ts';
import { noteEffect } from '../effects.ts';
import { openPlace, type Place } from '../place.ts';

const { place, dieInPair } = childInput<{ place: Place; dieInPair: number }>();
const { db } = await openPlace(place);
for (let pair = 0; ; pair++) {
  await db.transaction().execute(async tx => {
    await noteEffect(tx, 'first half', pair);
    if (pair === dieInPair) dieHere();
    await noteEffect(tx, 'second half', pair);
  });
  tell(pair);
}

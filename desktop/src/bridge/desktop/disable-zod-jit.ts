// Switch that stops zod from compiling schemas with eval, which the policy of the page forbids. Imported before any schema.
import { z } from 'zod';

z.config({ jitless: true });

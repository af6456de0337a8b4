import type { AddressQuery } from '@portico/contract/geocoding'
import type { z } from 'zod'

/** A postal address to look up. */
export type Address = z.output<typeof AddressQuery>

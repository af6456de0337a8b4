import type { $ZodConfig } from 'zod/v4/core'

// The content security policy forbids `eval`; the schema library would probe for it, which browsers report as a
// violation. The library reads its settings when it is loaded; importing it here would add it to the first load.
const shared = globalThis as { __zod_globalConfig?: $ZodConfig }
shared.__zod_globalConfig ??= {}
shared.__zod_globalConfig.jitless = true

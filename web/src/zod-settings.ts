import type { $ZodConfig } from 'zod/v4/core'

// The content security policy forbids `eval`, and the schema library would probe for it, which browsers report as a breach.
// The library reads its settings when it is loaded; to import it here would bring it into the first load.
const settings: $ZodConfig = { jitless: true }
Object.assign(globalThis, { __zod_globalConfig: settings })

import { offsetChoices } from '@portico/domain/scheduler/offset-window'

/** An offset as the dialog names it: 'Last month', '12 days before'. */
export const offsetInWords = (offset: string): string =>
  new Map<string, string>(Object.entries(offsetChoices)).get(offset) ?? `${offset} days before`

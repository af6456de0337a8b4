import { isBlank, withoutOuterSpace } from '@portico/domain/white-space'
import { readPersonalAddress, withoutRepeated } from './email-address.ts'

/**
 * The addresses of a comma-separated list, each once and as mail goes to it; what is no address, as it is. Nothing between
 * two commas, or after the last one, is none.
 */
export const readEmailList = (text: string): string[] =>
  withoutRepeated(
    text
      .split(',')
      .filter((item) => !isBlank(item))
      .map((item) => {
        const read = readPersonalAddress(item)
        return 'key' in read ? read.address : withoutOuterSpace(item)
      }),
  )

/** Writes addresses as `readEmailList` reads them. */
export const writeEmailList = (emails: readonly string[]): string => emails.join(', ')

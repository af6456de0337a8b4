import { isBlank, withoutOuterSpace } from '@portico/domain/white-space'
import { readPersonalAddress, withoutRepeated } from './email-address.ts'

/**
 * Returns the addresses of a comma-separated list, each once and as used for sending, and other texts unchanged. Two
 * commas in a row, or one at the end, add no item.
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

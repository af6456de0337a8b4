import { normalizeText } from '@portico/domain/unicode'

const lookAlikes: Record<string, string> = Object.fromEntries(
  [
    ['авеіјкмнорсԁѕтухһԛԝ', 'abeijkmhopcdstyxhqw'],
    ['αβεικνορτυχγ', 'abeiknoptuxy'],
  ].flatMap(([foreign = '', latin = '']) => Array.from(foreign).map((letter, at) => [letter, latin.charAt(at)])),
)

/**
 * Returns the text in lower case, without invisible characters; letters of other widths and styles, and Cyrillic and
 * Greek letters that look Latin, become Latin. Texts that look alike mostly get the same result; others may get it too.
 */
export const latinLook = (text: string): string =>
  normalizeText(text, 'NFKC')
    .toLowerCase()
    .replaceAll(/\p{C}/gu, '')
    .replaceAll(/[\p{Script=Cyrillic}\p{Script=Greek}]/gu, (letter) => lookAlikes[letter] ?? letter)

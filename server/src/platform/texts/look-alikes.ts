import { normalizeText } from '@portico/domain/unicode'

const lookAlikes: Record<string, string> = Object.fromEntries(
  [
    ['авеіјкмнорсԁѕтухһԛԝ', 'abeijkmhopcdstyxhqw'],
    ['αβεικνορτυχγ', 'abeiknoptuxy'],
  ].flatMap(([foreign = '', latin = '']) => Array.from(foreign).map((letter, at) => [letter, latin.charAt(at)])),
)

/**
 * In lower case, without invisible characters; letters of other widths and styles, and Cyrillic and Greek letters that look
 * Latin, are Latin. Texts that look alike mostly have one such form; others may share it too.
 */
export const latinLook = (text: string): string =>
  normalizeText(text, 'NFKC')
    .toLowerCase()
    .replaceAll(/\p{C}/gu, '')
    .replaceAll(/[\p{Script=Cyrillic}\p{Script=Greek}]/gu, (letter) => lookAlikes[letter] ?? letter)

import { foldName } from '@portico/domain/names'

const longest = 31

/**
 * Returns a function that names the sheets of a workbook after titles, each uniquely in any letter case. Excel allows
 * at most 31 characters and not all signs, and reserves the name "History".
 */
export function sheetNames(): (title: string) => string {
  const taken = new Set(['', 'history'])
  return (title) => {
    for (let number = 1; ; number++) {
      const end = number === 1 ? '' : ` ${number}`
      const name = `${allowed(title, longest - end.length)}${end}`
      const key = foldName(name)
      if (taken.has(key)) continue
      taken.add(key)
      return name
    }
  }
}

function allowed(title: string, length: number): string {
  const name = title
    .toWellFormed()
    .replaceAll(/[\p{Cc}[\]:*?/\\\uFFFE\uFFFF]/gu, '_')
    .trim()
    .slice(0, length)
    // Cutting may have split a character.
    .replace(/[\uD800-\uDBFF]$/, '')
    .replaceAll(/^'|'$/g, '_')
    .trimEnd()
  return name === '' ? 'Sheet' : name
}

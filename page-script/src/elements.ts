/** The public columns of the visitor. */
export type Visitor = Record<string, string | number | boolean | null>

/** Texts of the page itself that were replaced. */
const ownTexts = new WeakMap<Element, string>()

/** Fills the page's marked elements, always as text. Without a visitor they show the page's own texts. */
export function fillElements(visitor: Visitor | null): void {
  // Column names are compared without letter case, as everywhere in the portal.
  const values = new Map(Object.entries(visitor ?? {}).map(([column, value]) => [column.toLowerCase(), value]))
  const textOf = (column = ''): string => {
    const value = values.get(column.toLowerCase())
    return value === null || value === undefined || value === false ? '' : `${value}`
  }
  for (const element of document.querySelectorAll<HTMLElement>('[data-portico]')) {
    const text = textOf(element.dataset['portico'])
    const own = ownTexts.get(element)
    if (!text && own === undefined) continue
    if (own === undefined) ownTexts.set(element, element.textContent)
    // Unchanged elements are not touched: that would call the page's mutation observers forever.
    if (element.textContent !== (text || own)) element.textContent = text || (own ?? '')
  }
  for (const element of document.querySelectorAll<HTMLElement>('[data-portico-if]')) {
    element.hidden = !textOf(element.dataset['porticoIf'])
  }
}

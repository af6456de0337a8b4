/** Styles that an SVG's text has to name itself outside the page, where it has no stylesheet. */
const carried = ['fill', 'stroke', 'stroke-width', 'font-family', 'font-size', 'font-weight', 'opacity'] as const

/** Writes an SVG of the page as text that looks the same on its own, with the page's background color. */
export function writeSvg(drawing: SVGSVGElement): Promise<string> {
  const { width, height } = drawing.getBoundingClientRect()
  const copy = drawing.cloneNode(true) as SVGSVGElement
  const [from, to] = [drawing, copy].map((root) => [root, ...root.querySelectorAll<SVGElement>('*')])
  from?.forEach((element, at) => {
    const styles = getComputedStyle(element)
    for (const name of carried) to?.[at]?.setAttribute(name, styles.getPropertyValue(name))
    to?.[at]?.removeAttribute('class')
  })
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  copy.setAttribute('width', String(Math.round(width)))
  copy.setAttribute('height', String(Math.round(height)))
  copy.removeAttribute('style')
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
  ground.setAttribute('width', '100%')
  ground.setAttribute('height', '100%')
  ground.setAttribute('fill', getComputedStyle(drawing).getPropertyValue('--ui-surface').trim())
  copy.prepend(ground)
  return Promise.resolve(new XMLSerializer().serializeToString(copy))
}

import type { IOptions } from 'sanitize-html'
import { DeliveryFailed } from './delivery-failed.ts'

/** Loaded on demand: most processes never send an HTML body of a user. */
const loadCleaner = async () => (await import('sanitize-html')).default
const loadParser = async () => (await import('htmlparser2')).Parser

// Values that load nothing, run nothing and affect only their element.
const plainValue = /^(?!.*(?:url|expression|javascript|@import|behavior|image-set)\b)[^\\<>{}]*$/is
const tags = [
  'a abbr address b blockquote br caption center code col colgroup dd del div dl dt em font h1 h2 h3 h4 h5 h6 hr i img',
  'ins li ol p pre q s small span strike strong sub sup table tbody td tfoot th thead tr u ul',
].flatMap((line) => line.split(' '))

const styles = [
  'background-color color display direction',
  'border border-bottom border-collapse border-color border-left border-radius border-right border-spacing border-style',
  'border-top border-width font font-family font-size font-style font-weight height letter-spacing line-height',
  'list-style-type margin margin-bottom margin-left margin-right margin-top max-height max-width min-height min-width',
  'padding padding-bottom padding-left padding-right padding-top table-layout text-align text-decoration text-indent',
  'text-transform vertical-align white-space width word-break overflow-wrap',
].flatMap((line) => line.split(' '))

const everywhere = ['align', 'bgcolor', 'height', 'valign', 'width', 'style', 'dir', 'lang', 'title']

const options: IOptions = {
  allowedTags: tags,
  allowedAttributes: {
    '*': everywhere,
    a: ['href', 'name', 'target', 'rel'],
    img: ['src', 'alt'],
    font: ['color', 'face', 'size'],
    ol: ['start', 'type'],
    table: ['border', 'cellpadding', 'cellspacing', 'role', 'summary'],
    td: ['colspan', 'rowspan', 'scope'],
    th: ['colspan', 'rowspan', 'scope'],
    col: ['span'],
  },
  allowedSchemes: ['https', 'http', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['https'] },
  allowProtocolRelative: false,
  allowedStyles: { '*': Object.fromEntries(styles.map((name) => [name, [plainValue]])) },
  // Their content is not text for readers.
  nonTextTags: [
    'script',
    'style',
    'textarea',
    'option',
    'noscript',
    'title',
    'template',
    'iframe',
    'object',
    'svg',
    'math',
  ],
}

/** Emails have ten or twenty levels. The parser and the cleaner take time for each level that an element is in. */
const mostLevels = 100

/**
 * An HTML body without active content: no scripts, forms, event handlers, style sheets, or links and images of other
 * schemes. Formatting, tables, links and images by https stay.
 * @throws DeliveryFailed if it is nested too deeply
 */
export async function cleanHtml(html: string): Promise<string> {
  await requireFlat(html)
  const clean = await loadCleaner()
  return clean(html, options)
}

/** Stops reading at the first element that is nested too deeply. */
async function requireFlat(html: string): Promise<void> {
  const Parser = await loadParser()
  let level = 0
  const parser = new Parser({
    onopentagname() {
      level += 1
      if (level > mostLevels) {
        throw new DeliveryFailed(`Not sent: the HTML body nests elements more than ${mostLevels} levels deep.`, true)
      }
    },
    onclosetag() {
      level -= 1
    },
  })
  parser.end(html)
}

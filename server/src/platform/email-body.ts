import { readEmailAddress } from '@portico/contract/email-address'
import { shownText } from '@portico/contract/shown-text'

/** Content of an email, in order. Plain text: characters with a meaning in HTML are escaped. */
export type EmailBody = {
  paragraphs: string[]
  /**
   * Names chosen by users and reasons that may contain them, each with its label, after the first paragraph. They are
   * quoted, so none reads as the portal's own words. They never appear in the subject of an email to strangers.
   */
  quoted?: { label: string; text: string }[]
  /** Call to action, shown as a button and as a URL to copy. */
  link?: { label: string; url: string }
  /** After the link. */
  closing?: string[]
  /** Signature below the text. */
  sender: string
}

/** Renders the email as text and as HTML simple enough for every mail client, in light and dark mode. */
export function renderEmail(body: EmailBody): { text: string; html: string } {
  const { link, closing = [], sender } = body
  const paragraphs = withQuoted(body)
  const text = [...paragraphs, ...(link ? [`${link.label}:\n${link.url}`] : []), ...closing, `-- \n${sender}`]
  const html = [
    ...paragraphs.map(paragraph),
    ...(link ? [button(link.label, link.url), paragraph(`Or copy this address into your browser: ${link.url}`)] : []),
    ...closing.map(paragraph),
    `<p style="margin: 32px 0 0; font-size: 13px; color: #6b7280">${escape(sender)}</p>`,
  ]
  return { text: `${text.join('\n\n')}\n`, html: page(html.join('\n')) }
}

function withQuoted({ paragraphs: [first = '', ...others], quoted = [] }: EmailBody): string[] {
  if (quoted.length === 0) return [first, ...others]
  return [first, quoted.map(({ label, text }) => `${label}: ${quotedText(text)}`).join('\n'), ...others]
}

/** Quotes text of others within the portal's own, on one line: it can neither close the quotes nor contain links. */
export const quotedText = (text: string): string =>
  `“${withoutLinks(shownText(text.replaceAll(/\s+/g, ' ').trim()).replaceAll(/["“”„‟«»＂]/g, "'"))}”`

/** Adds invisible joiners to web addresses, or mail programs would make them links. Email addresses stay unchanged. */
const withoutLinks = (text: string): string =>
  text.replaceAll(/\S+/g, (word) =>
    'key' in readEmailAddress(word) ? word : word.replaceAll(/(?<=.)[.:/](?=.)/g, '$&\u2060'),
  )

const paragraph = (text: string): string => `<p style="margin: 0 0 16px">${escape(text).replaceAll('\n', '<br>')}</p>`

function button(label: string, url: string): string {
  const style = 'padding: 10px 18px; border-radius: 4px; background: #0b7285; color: #ffffff; text-decoration: none'
  return `<p style="margin: 24px 0"><a href="${escape(url)}" style="display: inline-block; ${style}">${escape(label)}</a></p>`
}

function page(content: string): string {
  const style = 'max-width: 560px; margin: 0 auto; padding: 24px; font: 15px/1.5 sans-serif; overflow-wrap: anywhere'
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head>
<body><div style="${style}">
${content}
</div></body></html>
`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escape(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character)
}

import { saveFile } from '#ui/save-file.ts'

/** Image pixels per pixel of the page: sharp in print and on high-resolution screens. */
const imageScale = 2

/** Draws SVG as a PNG of twice its size. Its fonts are the machine's: images load none. */
async function pngOf(svg: string): Promise<Blob> {
  const { width, height } = svgSize(svg)
  const image = new Image(width, height)
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  try {
    image.src = address
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = width * imageScale
    canvas.height = height * imageScale
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The image could not be drawn.'))), 'image/png')
    })
  } finally {
    URL.revokeObjectURL(address)
  }
}

/** The size in pixels from the root element of an SVG. */
export function svgSize(svg: string): { width: number; height: number } {
  const root = /<svg[^<>]*>/.exec(svg)?.[0] ?? ''
  const size = (name: string): number => Number(new RegExp(`\\s${name}="([\\d.]+)`).exec(root)?.[1] ?? 0)
  return { width: size('width'), height: size('height') }
}

/** Saves the chart as an image. `name`: the file's, without its extension. */
export async function saveImage(svg: string, name: string, type: 'png' | 'svg'): Promise<void> {
  const blob = type === 'png' ? await pngOf(svg) : new Blob([svg], { type: 'image/svg+xml' })
  saveFile(blob, `${fileName(name)}.${type}`)
}

/** Copies the chart to the clipboard as an image. */
export async function copyImage(svg: Promise<string> | string): Promise<void> {
  // Safari requires the item during the click; the image follows in a promise.
  const image = Promise.resolve(svg).then(pngOf)
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': image })])
}

/** A title as a file name. */
export const fileName = (title: string): string =>
  title
    .replaceAll(/[^\p{L}\p{N} ._()-]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[ .]+/g, (run, at: number, text: string) => (at === 0 || at + run.length === text.length ? '' : run))
    .slice(0, 100) || 'chart'

/** Returns why the file does not count as an image; its content is checked only when it is drawn. */
export function photoProblem({ name, type }: Pick<File, 'name' | 'type'>): string | null {
  if (!hasExtension(name)) return `'${name}' was ignored: its name has no extension.`
  // Browsers do not know the type of some phones' images.
  const isImage = type ? type.startsWith('image/') : /\.(heic|heif|avif|tiff?)$/i.test(name)
  return isImage ? null : 'Only image files are accepted.'
}

/** `photo.jpg`, but neither `photo` nor `photo.` nor `.jpg`. */
const hasExtension = (name: string): boolean => /[^.]\.[^.\s]+$/.test(name)

/** A square of an image, in its own pixels. */
export type Square = { x: number; y: number; size: number }

type Percent = { x: number; y: number; width: number; height: number }

/** The square of a crop given in percent of the image; in whole pixels, never outside the image. */
export function squareOf(crop: Percent, image: { width: number; height: number }): Square {
  const wanted = Math.round((crop.width / 100) * image.width)
  const size = Math.max(1, Math.min(wanted, image.width, image.height))
  const x = Math.round((crop.x / 100) * image.width)
  const y = Math.round((crop.y / 100) * image.height)
  return { x: within(x, image.width - size), y: within(y, image.height - size), size }
}

const within = (value: number, max: number): number => Math.min(Math.max(value, 0), max)

/** The largest centered square, in percent. */
export function largestSquare({ width, height }: { width: number; height: number }): Percent {
  const size = Math.min(width, height)
  return {
    x: ((width - size) / 2 / width) * 100,
    y: ((height - size) / 2 / height) * 100,
    width: (size / width) * 100,
    height: (size / height) * 100,
  }
}

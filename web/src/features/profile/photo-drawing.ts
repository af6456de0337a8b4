import type { Square } from './photo-file.ts'

/** Larger than any place that shows it. So few pixels stay far below the 5 MB that the server takes. */
const photoEdge = 1024
const quality = 0.92

/** Draws the square of the image so that it fills the canvas. */
export function drawSquare(canvas: HTMLCanvasElement, image: HTMLImageElement, { x, y, size }: Square): void {
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot draw images.')
  context.imageSmoothingQuality = 'high'
  // Where the image lets something shine through: JPEG has no such thing, and would show black.
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(image, x, y, size, size, 0, 0, canvas.width, canvas.height)
}

/** The square of the image as a JPEG, whatever format the image has. */
export async function cropToJpeg(image: HTMLImageElement, square: Square): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = Math.min(square.size, photoEdge)
  canvas.height = canvas.width
  drawSquare(canvas, image, square)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality))
  if (!blob) throw new Error('This image could not be cropped. Choose another one.')
  return blob
}

import type { Square } from './photo-file.ts'

/** Larger than any element that shows it. A photo of this size stays far below the server's limit of 5 MB. */
const photoEdge = 1024
const quality = 0.92

/** Draws the square of the image, filling the canvas. */
export function drawSquare(canvas: HTMLCanvasElement, image: HTMLImageElement, { x, y, size }: Square): void {
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot draw images.')
  context.imageSmoothingQuality = 'high'
  // Behind transparent parts of the image: JPEG has no transparency, and would show black.
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(image, x, y, size, size, 0, 0, canvas.width, canvas.height)
}

/** The square of the image as a JPEG, regardless of the image's format. */
export async function cropToJpeg(image: HTMLImageElement, square: Square): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = Math.min(square.size, photoEdge)
  canvas.height = canvas.width
  drawSquare(canvas, image, square)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality))
  if (!blob) throw new Error('This image could not be cropped. Choose another one.')
  return blob
}

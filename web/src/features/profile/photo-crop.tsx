import { Text } from '@mantine/core'
import { type RefObject, useEffect, useRef } from 'react'
import ReactCrop, { type PercentCrop } from 'react-image-crop'
import 'react-image-crop/dist/ReactCrop.css'
import { drawSquare } from './photo-drawing.ts'
import { largestSquare, squareOf } from './photo-file.ts'
import css from './photo-crop.module.css'

/** Minimum size on screen, in pixels, at which the square can be grabbed. */
const smallestSquare = 32

const ariaLabels = {
  cropArea: 'Part of the image: arrow keys move it, with Shift further',
  nwDragHandle: 'Upper left corner: arrow keys change the size',
  neDragHandle: 'Upper right corner: arrow keys change the size',
  seDragHandle: 'Lower right corner: arrow keys change the size',
  swDragHandle: 'Lower left corner: arrow keys change the size',
  // A square has no individual sides; their handles are not shown.
  nDragHandle: 'Upper side',
  eDragHandle: 'Right side',
  sDragHandle: 'Lower side',
  wDragHandle: 'Left side',
}

type PhotoCropProps = {
  url: string
  image: RefObject<HTMLImageElement | null>
  crop: PercentCrop | null
  onCrop: (crop: PercentCrop) => void
  onUnreadable: () => void
}

/** Chooses the square of the image that becomes the photo, with the pointer or with arrow keys. */
export function PhotoCrop({ url, image, crop, onCrop, onUnreadable }: PhotoCropProps) {
  return (
    <div className={css['crop']}>
      <div className={css['image']}>
        <ReactCrop
          {...(crop && { crop })}
          aspect={1}
          keepSelection
          minWidth={smallestSquare}
          ariaLabels={ariaLabels}
          onChange={(_, percent) => onCrop(percent)}
        >
          <img
            ref={image}
            src={url}
            alt="Chosen file"
            onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => {
              if (width === 0 || height === 0) return onUnreadable()
              onCrop({ unit: '%', ...largestSquare({ width, height }) })
            }}
            onError={onUnreadable}
          />
        </ReactCrop>
      </div>
      <Preview image={image} crop={crop} />
      <Text size="xs" c="dimmed" className={css['hint'] ?? ''}>
        Move the square, or drag its corners. By keyboard: Tab to it, then the arrow keys.
      </Text>
    </div>
  )
}

/** The photo as the bar will show it. */
function Preview({ image, crop }: Pick<PhotoCropProps, 'image' | 'crop'>) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const drawn = image.current
    if (!canvas.current || !drawn || !crop) return
    drawSquare(canvas.current, drawn, squareOf(crop, { width: drawn.naturalWidth, height: drawn.naturalHeight }))
  }, [image, crop])
  return (
    <div className={css['preview']}>
      <canvas ref={canvas} width={144} height={144} aria-hidden />
    </div>
  )
}

import { Button, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import '@mantine/dropzone/styles.layer.css'
import { useRef } from 'react'
import css from './photo-field.module.css'

type PhotoFieldProps = { hasFile: boolean; isDisabled: boolean; onChoose: (file: File) => void }

/** Chooses the image, by dropping it or with a button. */
export function PhotoField({ hasFile, isDisabled, onChoose }: PhotoFieldProps) {
  const open = useRef<() => void>(null)
  return (
    <Dropzone
      openRef={open}
      multiple={false}
      disabled={isDisabled}
      // Any image that the browser can draw: the dialog sends it as a JPEG.
      accept={['image/*']}
      activateOnKeyboard={false}
      enablePointerEvents
      className={css['zone'] ?? ''}
      onDrop={([first]) => first && onChoose(first)}
      onReject={([first]) => first && onChoose(first.file)}
      inputProps={{ 'aria-label': 'Image file' }}
    >
      <div className={css['content']}>
        <Text size="sm">{hasFile ? 'Drop another image here' : 'Drop an image here'}</Text>
        <Button
          variant="default"
          data-autofocus={!hasFile || undefined}
          onClick={(event) => {
            // A click on the drop zone already opens the file dialog.
            event.stopPropagation()
            open.current?.()
          }}
        >
          {hasFile ? 'Choose another' : 'Choose an image'}
        </Button>
      </div>
    </Dropzone>
  )
}

import { messages } from '@portico/contract/messages'
import { Stack } from '@mantine/core'
import { useRef, useState } from 'react'
import type { PercentCrop } from 'react-image-crop'
import { messageOf } from '#lib/api/api-error.ts'
import { DialogButtons } from '#ui/dialog/dialog-buttons.tsx'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { PhotoCrop } from './photo-crop.tsx'
import { cropToJpeg } from './photo-drawing.ts'
import { PhotoField } from './photo-field.tsx'
import { photoProblem, squareOf } from './photo-file.ts'
import { usePutPhoto } from './profile-queries.ts'
import { useFileUrl } from './use-file-url.ts'

const unreadable = 'This browser cannot read this image. Choose another one, such as a JPEG, PNG or WebP image.'

/** The image upload dialog: an image file, of which a square becomes the photo. */
export function PhotoDialog({ onClose }: { onClose: () => void }) {
  const [file, setFile] = useState<File | null>(null)
  const [crop, setCrop] = useState<PercentCrop | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const image = useRef<HTMLImageElement>(null)
  const url = useFileUrl(file)
  const put = usePutPhoto()

  function choose(chosen: File): void {
    const wrong = photoProblem(chosen)
    setProblem(wrong)
    if (wrong !== null) return
    setCrop(null)
    setFile(chosen)
  }

  async function upload(): Promise<void> {
    const drawn = image.current
    if (!drawn || !crop) return setProblem(messages.required)
    setProblem(null)
    try {
      const square = squareOf(crop, { width: drawn.naturalWidth, height: drawn.naturalHeight })
      await put.mutateAsync(await cropToJpeg(drawn, square))
      notifyDone('Your photo was changed.')
      onClose()
    } catch (error) {
      setProblem(messageOf(error))
    }
  }

  return (
    <FormDialog
      title="Upload an image"
      width={520}
      guard={{ isDirty: file !== null, isBusy: put.isPending }}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={() => void upload()}
        footer={
          <DialogButtons onCancel={onClose} isBusy={put.isPending}>
            Upload
          </DialogButtons>
        }
      >
        <Stack gap="sm">
          <FormProblem>{problem}</FormProblem>
          <PhotoField hasFile={file !== null} isDisabled={put.isPending} onChoose={choose} />
          {url !== null && (
            <PhotoCrop
              key={url}
              url={url}
              image={image}
              crop={crop}
              onCrop={setCrop}
              onUnreadable={() => {
                setFile(null)
                setProblem(unreadable)
              }}
            />
          )}
        </Stack>
      </DialogForm>
    </FormDialog>
  )
}

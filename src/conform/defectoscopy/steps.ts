import { serviceSteps } from '../service-steps.ts';

export const {
  url: imageUrl,
  post: predict,
  postBroken,
  create: predictImage,
  task,
  failed,
} = serviceSteps({
  path: '/predict',
  field: 'image_url',
  // The specification does not say whether it is required.
  defaults: { priority: 'realtime' },
  flag: '--image-url',
  type: 'image/jpeg',
  specimen: 'image',
});

export const RESULT = {
  surface: 'concrete_wall',
  masters: ['cracking', 'sound', 'mechanical', 'corrosion', 'contamination', 'casting'].map((name) => ({
    name,
    conf: 0.1667,
  })),
  defects: [{ name: 'crack', conf: 0.9312 }],
  model_version: '1.0.0',
};

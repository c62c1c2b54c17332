"""Taxonomy v1: the classes of the three heads, and how the rows of labels.csv map to them."""

SURFACES = ["concrete_wall", "concrete_slab", "pavement", "brick_wall", "steel_structure", "rolled_steel", "ceramic_tile"]

# Master group -> its defects. `sound` is the absence of a defect: a class of the heads, but no defect name.
MASTERS = {
    "cracking": ["crack", "crazing"],
    "corrosion": ["fair_corrosion", "poor_corrosion", "severe_corrosion", "pitted_surface"],
    "contamination": ["inclusion", "patches", "rolled_in_scale"],
    "mechanical": ["scratches", "chip", "fray"],
    "casting": ["blowhole", "uneven"],
    "sound": [],
}
SOUND = "sound"
DEFECT_MASTER = {defect: master for master, defects in MASTERS.items() for defect in defects}

HEADS = {
    "surface": SURFACES,
    "masters": list(MASTERS),
    "defects": list(DEFECT_MASTER) + [SOUND],
}

# The crack directions are a small, hard set (about 61 % with frozen features): one class.
MERGED = {f"{direction}_crack": "crack" for direction in ("horizontal", "vertical", "diagonal", "hairline", "structural")}


def classes(row):
    """Class indices (surface, masters, defects) of one row of labels.csv."""
    defect = MERGED.get(row["defect"], row["defect"]) or SOUND
    master = DEFECT_MASTER.get(defect, SOUND)
    if master != row["master"]:
        raise ValueError(f"{row['file']}: defect {defect} belongs to {master}, the row says {row['master']}")
    return [HEADS["surface"].index(row["surface"]), HEADS["masters"].index(master), HEADS["defects"].index(defect)]

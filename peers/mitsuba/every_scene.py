"""All test scenes, by name."""

import catalogue
import catalogue_layers
import catalogue_lights

SCENES = catalogue.SCENES | catalogue_layers.SCENES | catalogue_lights.SCENES
